import { bundlePrograms } from './bundle-programs.ts'

/** `node packages/bundle/src/programs-main.ts <folder> <source> …` */
const [, , out, ...sources] = process.argv
if (!out || sources.length === 0) {
  process.stderr.write('usage: node packages/bundle/src/programs-main.ts <folder> <source> …\n')
  process.exitCode = 1
} else await bundlePrograms(sources, out)
