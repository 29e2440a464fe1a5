import { messageOf } from '../startup-error.ts'
import { findBinary } from './find-binary.ts'
import { installMissing } from './install-missing.ts'
import { programsOf } from './programs.ts'

const say = (text: string) => process.stderr.write(`${text}\n`)

/**
 * Installs every program that any test needs, before the first of them. Programs that cannot be installed are named here, and fail
 * the tests that need them; the others run.
 */
export async function installForTests(): Promise<void> {
  const needed = programsOf('test')
  if (needed.every((program) => findBinary(program))) return
  say('Before the first test, the programs that tests need are installed.')
  await installMissing(needed, { onProgress: say }).then(
    () => say('All programs that tests need are installed.'),
    (error: unknown) => say(`${messageOf(error)}\nTests that need it will fail.`),
  )
}
