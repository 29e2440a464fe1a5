/** The tables of this service's own schema. */
export type Tables = Record<never, never>
