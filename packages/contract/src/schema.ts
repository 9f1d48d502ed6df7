/** Any JSON value. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** A JSON Schema object, draft 2020-12 unless `$schema` says draft-07: the form in which every schema is kept. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** A schema of a library that implements Standard Schema and describes itself as JSON Schema: Zod, ArkType, Valibot. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
    readonly validate: (value: unknown) => StandardOutcome<Output> | Promise<StandardOutcome<Output>>;
    readonly jsonSchema: { readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown> };
  };
}

type StandardOutcome<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly { readonly message: string; readonly path?: readonly unknown[] | undefined }[] };

/** What a tool's `input` and `output` may be. */
export type Schema = JsonSchema | StandardSchema<any, any>;

/** The type of the values a schema accepts, as a tool receives them. */
export type Infer<S> = S extends {
  readonly "~standard": { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : FromJsonSchema<S>;

/** The type a literal JSON Schema describes, as far as types can say it; `any` where they cannot. */
export type FromJsonSchema<S> = S extends { readonly const: infer Value }
  ? Value
  : S extends { readonly enum: readonly (infer Value)[] }
    ? Value
    : S extends { readonly anyOf: readonly (infer Option)[] } | { readonly oneOf: readonly (infer Option)[] }
      ? FromJsonSchema<Option>
      : S extends { readonly type: readonly (infer Name)[] }
        ? FromTypeName<Name, S>
        : S extends { readonly type: infer Name }
          ? FromTypeName<Name, S>
          : any;

type FromTypeName<Name, S> = Name extends "string"
  ? string
  : Name extends "number" | "integer"
    ? number
    : Name extends "boolean"
      ? boolean
      : Name extends "null"
        ? null
        : Name extends "array"
          ? S extends { readonly items: infer Item }
            ? FromJsonSchema<Item>[]
            : any[]
          : Name extends "object"
            ? FromObject<S>
            : any;

type FromObject<S> = S extends { readonly properties: infer Properties }
  ? Simplify<
      { -readonly [Key in RequiredKeys<S, Properties>]: FromJsonSchema<Properties[Key]> } & {
        -readonly [Key in Exclude<keyof Properties, RequiredKeys<S, Properties>>]?: FromJsonSchema<Properties[Key]>;
      }
    >
  : Record<string, any>;

// A property with a default is always there: defaults are applied before the tool runs.
type RequiredKeys<S, Properties> = {
  [Key in keyof Properties]: Properties[Key] extends { readonly default: unknown }
    ? Key
    : S extends { readonly required: readonly (infer Name)[] }
      ? Key extends Name
        ? Key
        : never
      : never;
}[keyof Properties];

type Simplify<T> = { [Key in keyof T]: T[Key] };
