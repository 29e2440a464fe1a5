export { readConfig, type SandboxConfig } from './config.ts'
export { createSandbox, type Sandbox } from './sandbox.ts'
