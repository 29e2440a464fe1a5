import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { containers } from './compose-file.ts'
import type { ComposeSecrets } from './compose-secrets.ts'

/** The network of compose on this machine: each container's ports are ports of 127.0.0.1. */
export class ComposeNetwork {
  readonly #secrets: ComposeSecrets
  readonly #ports = new Map<string, number>()
  #next: number

  /** @param base the first of about fifty free ports */
  constructor(secrets: ComposeSecrets, base: number) {
    this.#secrets = secrets
    this.#next = base
  }

  portOf(container: string, port: number | string): number {
    const address = `${container}:${port}`
    const known = this.#ports.get(address) ?? this.#next++
    this.#ports.set(address, known)
    return known
  }

  /** Puts the addresses of this machine in place of those of containers. */
  translate(text: string): string {
    return text.replaceAll(/\b([a-z-]+):(\d+)\b/g, (address, host, port) =>
      host in containers ? `127.0.0.1:${this.portOf(host, port)}` : address,
    )
  }

  /** The environment of a container's process, and the files that it names, with the addresses of this machine. */
  environmentOf(name: string, values: Record<string, string>): Record<string, string> {
    const container = containers[name]!
    const entries = Object.entries(this.#secrets.environmentOf(container, values)).map(([variable, value]) => [
      variable,
      value.startsWith(this.#secrets.folder) ? this.pathIn(name, value) : this.translate(value),
    ])
    const { PORT, METRICS_PORT, DNS_PORT } = container.environment ?? {}
    const ports = Object.entries({ PORT, METRICS_PORT, DNS_PORT }).flatMap(([variable, port]) =>
      port === undefined ? [] : [[variable, String(this.portOf(name, port))]],
    )
    return { ...Object.fromEntries(entries), ...Object.fromEntries(ports), HOST: '127.0.0.1' }
  }

  /** A copy of a container's file that has the addresses of this machine. */
  pathIn(name: string, path: string): string {
    const container = containers[name]!
    const file = Object.entries(this.#secrets.filesOf(container)).find(
      ([inside]) => inside === path || this.#secrets.pathIn(container, inside) === path,
    )
    if (!file) throw new Error(`${name} has no file ${path}`)
    const copy = join(this.#secrets.folder, '..', `${basename(this.#secrets.folder)}-here`, name, basename(path))
    mkdirSync(dirname(copy), { recursive: true })
    writeFileSync(copy, this.translate(file[1]))
    return copy
  }
}
