/** The readme of a plugin that was made. */
export function toReadme(name: string, { what, test }: { readonly what: string; readonly test: string }): string {
  return `# ${name}

Greets people.

${what}

## Try it

    pegboard plugin info ${name}
    pegboard call ${name}__greet name=Ada
    pegboard plugin config ${name} greeting=Ahoy

## Test it

The test needs neither a key nor the network: its model is a script, its call is real.

    npm install --save-dev pegboard
    node --test ${test}

## Give it to others

    pegboard plugin add ./${name}
    pegboard plugin add git:https://example.com/${name}.git
    pegboard plugin add npm:${name}
`;
}
