import { toBase64 } from "./to-json.ts";

const SHORTEST = 8;
const ALWAYS = 16;
const LINE = 32;

// Words of three letters and more, run together as in camelCase or joined by one sign; or digits alone.
const ORDINARY = /^(?:\d+|(?:[A-Za-z][a-z]{2,}|[A-Z]{3,})(?:[-_. ]?(?:[A-Za-z][a-z]{2,}|[A-Z]{3,}))*)$/;

/**
 * Whether a secret is looked for in texts. One of 16 characters and more always is; one of 8 and more unless it is made
 * of ordinary words or of digits alone, which stand in texts for other reasons; a shorter one never is.
 */
export function isRedactable(value: string): boolean {
  const text = value.trim();
  return text.length >= ALWAYS || (text.length >= SHORTEST && !ORDINARY.test(text));
}

/**
 * Every form in which a secret is looked for: as it is, JSON-escaped, percent-encoded, hexadecimal, and as it stands in
 * base64, wherever it begins there. The long lines of one that has several, such as a private key, are looked for too.
 * Empty when it is not redactable.
 */
export function formsOf(value: string): ReadonlySet<string> {
  const text = value.trim().toWellFormed();
  if (!isRedactable(text)) return new Set();
  const lines = text.split(/\r?\n/).filter((line) => line !== text && line.length >= LINE && /^[^\s-]\S*$/.test(line));
  return new Set([text, ...lines].flatMap((part) => [part, ...jsonForms(part), ...urlForms(part), ...byteForms(part)]));
}

// Text that is JSON inside of JSON is escaped twice. Some writers escape slashes, some everything that is not ASCII.
function jsonForms(text: string): string[] {
  const once = escape(text);
  const ascii = once.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
  return [once, escape(once), once.replaceAll("/", "\\/"), ascii];
}

function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

// The places of a URL differ in what they escape.
function urlForms(text: string): string[] {
  const url = new URL("http://host");
  url.password = text;
  const encoded = [
    encodeURIComponent(text),
    encodeURI(text),
    new URLSearchParams([["", text]]).toString().slice(1),
    url.password,
  ];
  return encoded.flatMap((form) => [form, form.replaceAll(/%[0-9A-F]{2}/g, (escaped) => escaped.toLowerCase())]);
}

function byteForms(text: string): string[] {
  const bytes = new TextEncoder().encode(text);
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const base64 = [0, 1, 2].map((before) => base64Behind(before, bytes));
  return [hex, hex.toUpperCase(), ...base64, ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}

/** The characters of base64 that these bytes alone decide when so many others (modulo 3) go before them. */
function base64Behind(before: number, bytes: Uint8Array): string {
  const whole = new Uint8Array(before + bytes.length);
  whole.set(bytes, before);
  return toBase64(whole).slice(Math.ceil((before * 8) / 6), Math.floor((whole.length * 8) / 6));
}
