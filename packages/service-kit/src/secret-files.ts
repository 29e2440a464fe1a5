import { readFileSync } from 'node:fs'

/** Variables with their values, and the faults of those that should be read from files. */
interface Variables {
  values: Record<string, string>
  /** The fault by the name of the variable; never a value. */
  faults: Map<string, string>
}

/**
 * Reads variables from files: `NAME_FILE` is the path of a file with the value of `NAME`, as in the official images of Postgres and others.
 * A line break at the end of the file does not count. Empty variables are left out.
 * @param names the variables that may be in files
 */
export function readSecretFiles(env: NodeJS.ProcessEnv, names: readonly string[]): Variables {
  const given = Object.entries(env).flatMap(([name, value]) => (value ? [[name, value] as const] : []))
  const values = Object.fromEntries(given)
  const faults = new Map<string, string>()
  for (const name of names) {
    const path = values[`${name}_FILE`]
    // A variable of that name, such as NATS_CA_FILE, is itself a path.
    if (path === undefined || names.includes(`${name}_FILE`)) continue
    if (values[name] !== undefined) {
      faults.set(name, `is set, and ${name}_FILE too: set one of them`)
      continue
    }
    const text = readText(path)
    if (typeof text === 'string') values[name] = text
    else faults.set(name, `${name}_FILE names ${path}, which ${text.fault}`)
  }
  return { values, faults }
}

function readText(path: string): string | { fault: string } {
  try {
    return readFileSync(path, 'utf8').replace(/\r?\n$/, '') || { fault: 'is empty' }
  } catch (error) {
    return { fault: `cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}
