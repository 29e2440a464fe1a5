import { runSandbox } from './run.ts'

await runSandbox(process.env)
