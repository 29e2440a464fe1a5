/**
 * The variables of a configuration that one half of a carrier declares as its own.
 * @param config the parsed configuration of the service, which spreads the declarations of all carriers
 * @returns what that half takes; its table has checked that they fit
 */
export function environmentOf(config: object, { environment }: { environment: object }): never {
  const values = config as Record<string, unknown>
  return Object.fromEntries(Object.keys(environment).map((name) => [name, values[name]])) as never
}
