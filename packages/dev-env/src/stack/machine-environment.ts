import { join } from 'node:path'

const projectRoot = join(import.meta.dirname, '..', '..', '..', '..')

/** Settings of glibc's malloc, as in infra/Dockerfile: docs/limits.md, Memory. */
export const mallocSettings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '16384' }

/**
 * Variables that a Node process gets beside its own: those of the machine, of traces and of logs, and the cache of compiled
 * code, without which a start takes twice as long.
 * @param root the project's, which holds the cache unless NODE_COMPILE_CACHE says otherwise
 */
export function machineEnvironment(root = projectRoot): Record<string, string> {
  const machine = [
    'PATH',
    'HOME',
    'TMPDIR',
    'TZ',
    'LANG',
    'NODE_EXTRA_CA_CERTS',
    'TRACE_SAMPLE_RATIO',
    'LOG_REQUEST_RATIO',
  ]
  const passed = Object.entries(process.env).filter(([name]) => machine.includes(name) || name.startsWith('OTEL_'))
  return {
    ...(Object.fromEntries(passed) as Record<string, string>),
    ...mallocSettings,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? join(root, '.local', 'compile-cache'),
  }
}
