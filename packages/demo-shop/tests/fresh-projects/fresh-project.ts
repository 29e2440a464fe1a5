import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { eventually, freshModules, type FreshProject as Kind, lockOf } from '@notify/dev-env'

const run = promisify(execFile)
const creators = join(import.meta.dirname, '..', '..', 'node_modules', '.bin')

/** The commands by which customers begin, and the ones that serve what they have built. */
const kinds: Record<Kind, { create: (folder: string) => string[]; serve: (port: string) => string[] }> = {
  vite: {
    create: (folder) => ['create-vite', folder, '--template', 'react-ts', '--no-interactive'],
    serve: (port) => ['vite', 'preview', '--host', '127.0.0.1', '--port', port, '--strictPort'],
  },
  next: {
    create: (folder) => [
      ...[
        'create-next-app',
        folder,
        '--yes',
        '--ts',
        '--app',
        '--empty',
        '--no-tailwind',
        '--no-linter',
        '--no-src-dir',
      ],
      ...['--no-react-compiler', '--no-agents-md', '--skip-install', '--disable-git', '--import-alias', '@/*'],
    ],
    serve: (port) => ['next', 'start', '--hostname', '127.0.0.1', '--port', port],
  },
}

interface Manifest {
  dependencies: Record<string, string>
  devDependencies: Record<string, string>
}

/** A project that its framework's own command made outside of this repository, with the released packages installed. */
export class FreshProject {
  private readonly kind: Kind
  private readonly folder: string
  private readonly env: Record<string, string>
  private server: ChildProcess | undefined

  private constructor(kind: Kind, folder: string, env: Record<string, string>) {
    this.kind = kind
    this.folder = folder
    this.env = env
  }

  /** @throws Error when the modules of `npm test` are not those that the framework wants, or npm does not install */
  static async create(
    kind: Kind,
    tarballs: readonly string[],
    variables: Record<string, string>,
  ): Promise<FreshProject> {
    const folder = join(await mkdtemp(join(tmpdir(), `notify-fresh-${kind}-`)), 'app')
    const env = { PATH: process.env.PATH!, HOME: process.env.HOME!, NEXT_TELEMETRY_DISABLED: '1', ...variables }
    const project = new FreshProject(kind, folder, env)
    const [creator = '', ...args] = kinds[kind].create('app')
    await run(join(creators, creator), args, { cwd: dirname(folder), env })
    await cp(freshModules(kind), join(folder, 'node_modules'), {
      recursive: true,
      verbatimSymlinks: true,
      mode: constants.COPYFILE_FICLONE,
    })
    await run('npm', ['install', '--offline', '--ignore-scripts', ...tarballs], { cwd: folder, env })
    return project
  }

  /** What the framework's own command asks for, and what the lockfile of the tests has. */
  async manifests(): Promise<{ created: Manifest; locked: Manifest }> {
    const [created, locked] = await Promise.all(
      [this.folder, lockOf(this.kind)].map(async (folder) =>
        JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
      ),
    )
    return { created, locked }
  }

  async write(files: Record<string, string>): Promise<void> {
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(this.folder, name)), { recursive: true })
      await writeFile(join(this.folder, name), text)
    }
  }

  /** @throws Error with what the build says */
  async build(): Promise<void> {
    await run('npm', ['run', 'build'], { cwd: this.folder, env: this.env }).catch(({ stdout, stderr }) => {
      throw new Error(`a fresh ${this.kind} project does not build:\n${stdout}${stderr}`)
    })
  }

  /** Serves what was built. @returns its address once it answers */
  async serve(port: number): Promise<string> {
    const [command = '', ...args] = kinds[this.kind].serve(String(port))
    const file = join(this.folder, 'node_modules', '.bin', command)
    this.server = spawn(file, args, { cwd: this.folder, env: this.env, stdio: 'ignore' })
    const url = `http://127.0.0.1:${port}`
    await eventually(async () => {
      const { ok } = await fetch(url)
      if (!ok) throw new Error('not ready')
    })
    return url
  }

  async remove(): Promise<void> {
    if (this.server?.exitCode === null) {
      const closed = once(this.server, 'close')
      this.server.kill()
      await closed
    }
    await rm(dirname(this.folder), { recursive: true, force: true })
  }
}
