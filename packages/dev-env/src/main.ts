import { join } from 'node:path'
import { runDevelopment } from './start/run-development.ts'

await runDevelopment(join(import.meta.dirname, '..', '..', '..'))
