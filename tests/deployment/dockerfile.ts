import { readText } from './project.ts'

/** The lines of infra/Dockerfile: without comments, continued ones joined. */
export const lines = readText('infra/Dockerfile')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, '')
  .split('\n')

/** Where stages begin. */
export const stages = lines.flatMap((line, i) => (line.startsWith('FROM ') ? [i] : []))

const final = lines.slice(stages.at(-1))

/** The arguments of an instruction of the last stage. */
export function instruction(name: string): string[] {
  return final.flatMap((line) => (line.startsWith(`${name} `) ? [line.slice(name.length + 1)] : []))
}

/** The variables that the image sets. */
export const imageVariables: Record<string, string> = Object.fromEntries(
  instruction('ENV').flatMap((line) => line.split(' ').map((pair) => pair.split('=') as [string, string])),
)

/** What runs in the image without a command: node with its options, and the program. */
export const entryPoint = JSON.parse(instruction('ENTRYPOINT')[0]!) as string[]
export const program = JSON.parse(instruction('CMD')[0]!) as string[]
