/**
 * Selects the configuration variables that one half of a carrier declares.
 * @param config the parsed configuration of the service, which contains the variables of all carriers
 */
export function environmentOf(config: object, { environment }: { environment: object }): never {
  const values = config as Record<string, unknown>
  return Object.fromEntries(Object.keys(environment).map((name) => [name, values[name]])) as never
}
