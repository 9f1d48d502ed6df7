import type { Command, Skill } from "@pegboard/contract";
import type { Shelf, Shelved } from "../../core/shelf.ts";
import type { Listing } from "../listing.ts";
import type { Cell } from "../table.ts";
import { type Terminal, visibleLine } from "../terminal.ts";

/** Lists the skills that models and people can read. */
export function listSkills(shelf: Shelf<Skill>, terminal: Terminal): Listing {
  const skills = shelf.list();
  return {
    json: {
      skills: skills.map((entry) => ({
        ...toView(entry),
        ...(entry.item.tools && { tools: entry.item.tools }),
        ...(entry.item.forModels === false && { forModels: false }),
      })),
    },
    rows: skills.map((entry) => toRow(entry, entry.item.forModels === false ? "(for people)" : "", terminal)),
  };
}

/** Lists the commands that people can call up. */
export function listCommands(shelf: Shelf<Command>, terminal: Terminal): Listing {
  const commands = shelf.list();
  return {
    json: {
      commands: commands.map((entry) => {
        const { argumentHint, agent, model, tools } = entry.item;
        return {
          ...toView(entry),
          ...(argumentHint !== undefined && { argumentHint }),
          ...(agent !== undefined && { agent }),
          ...(model !== undefined && { model }),
          ...(tools && { tools }),
        };
      }),
    },
    rows: commands.map((entry) => toRow({ ...entry, id: `/${entry.id}` }, entry.item.argumentHint ?? "", terminal)),
  };
}

type Named = { readonly name: string; readonly description: string };

function toView({ id, item, plugin, file }: Shelved<Named>) {
  return {
    name: id,
    description: item.description,
    source: { ...(plugin !== undefined && { plugin }), ...(file !== undefined && { file }) },
  };
}

function toRow({ id, item }: Shelved<Named>, note: string, { style }: Terminal): readonly Cell[] {
  return [
    { text: visibleLine(id), show: (text) => style("bold", text) },
    { text: visibleLine(note) },
    { text: visibleLine(item.description.split("\n", 1)[0]!), show: (text) => style("dim", text) },
  ];
}
