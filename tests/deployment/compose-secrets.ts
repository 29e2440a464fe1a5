import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { images } from '@notify/bundle/images'
import { type Container, containers, environmentOf, volumesOf } from './compose-file.ts'
import { root } from './project.ts'

const secrets = containers.secrets!
/** The place of each volume in the container that fills them. */
const filled = volumesOf(secrets)

/** The volumes with secrets of docker-compose.yml, in a folder of this machine. */
export class ComposeSecrets {
  readonly folder: string = mkdtempSync(join(tmpdir(), 'compose-secrets-'))

  /** Runs the container `secrets` as compose does. @param values what .env says */
  run(values: Record<string, string> = {}, command: readonly string[] = secrets.command!) {
    const { SECRETS_FOLDER, NATS_FOLDER, BOOTSTRAP_FILE, ...given } = environmentOf(secrets, values)
    const [, , file] = secrets.entrypoint!
    const program = images[secrets.build!.args.IMAGE!]!.programs[file!]!
    const places = {
      SECRETS_FOLDER: this.#placeOf(SECRETS_FOLDER!),
      NATS_FOLDER: join(root, 'infra/nats'),
      BOOTSTRAP_FILE: values.BOOTSTRAP_FILE ?? '/dev/null',
    }
    return spawnSync(process.execPath, [join(root, program), ...command], {
      env: { ...given, ...places },
      encoding: 'utf8',
    })
  }

  /** Where a path in a container is on this machine. */
  pathIn(container: Container, path: string): string {
    for (const [volume, target] of Object.entries(volumesOf(container))) {
      if (filled[volume] && (path === target || path.startsWith(`${target}/`))) {
        return this.#placeOf(filled[volume]) + path.slice(target.length)
      }
    }
    return path
  }

  /** A container's environment, with the paths of this machine. */
  environmentOf(container: Container, values: Record<string, string> = {}): Record<string, string> {
    const environment = Object.entries(environmentOf(container, values))
    return Object.fromEntries(environment.map(([name, value]) => [name, this.pathIn(container, value)]))
  }

  /** The files that a container can read, by their path in it. */
  filesOf(container: Container): Record<string, string> {
    const targets = Object.entries(volumesOf(container)).flatMap(([volume, target]) => (filled[volume] ? [target] : []))
    const paths = targets.flatMap((target) => {
      const folder = this.pathIn(container, target)
      return existsSync(folder) ? readdirSync(folder).map((name) => join(target, name)) : []
    })
    return Object.fromEntries(paths.map((path) => [path, readFileSync(this.pathIn(container, path), 'utf8')]))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }

  #placeOf(path: string): string {
    return path.replace(/^\/secrets/, this.folder)
  }
}
