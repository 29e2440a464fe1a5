export { findBinary, requireBinary } from './binaries/find-binary.ts'
export { installMissing } from './binaries/install-missing.ts'
export { buildConsole } from './console/build-console.ts'
export { eventually, patienceMs } from './eventually.ts'
export { mintOperatorToken } from './identity-provider/mint-operator-token.ts'
export { signOperatorToken } from './identity-provider/sign-operator-token.ts'
export { greeting } from './infrastructure/greeting.ts'
export { type Certificates, makeCertificates } from './infrastructure/make-certificates.ts'
export { type PortBlock, portsFrom, reservePortBlock } from './infrastructure/ports.ts'
export { startPostgres } from './infrastructure/postgres.ts'
export { makeDataFolder, postgresFolders } from './infrastructure/postgres-folders.ts'
export type { Server } from './infrastructure/server.ts'
export { startConfigured } from './infrastructure/start-configured.ts'
export { emailEvents } from './seed.ts'
export { machineEnvironment, mallocSettings } from './stack/machine-environment.ts'
export { hostEnvironment } from './stack/node-process.ts'
export {
  type NodeProcess,
  type ProcessName,
  type ServerProcess,
  type ServiceProcess,
  serviceOf,
  serviceProcesses,
} from './stack/process-names.ts'
export { environmentOf, fileOf } from './stack/process-table.ts'
export { Stack } from './stack/stack.ts'
export type { StackOptions } from './stack/stack-options.ts'
export { startStack } from './stack/start-stack.ts'
export { StartupError } from './startup-error.ts'
export { mintUserToken } from './state/mint-user-token.ts'
export type { State } from './state/state.ts'
export type { ApiRequest, ApiResponse } from './test-env/call-api.ts'
export { type FaultProxy, startFaultProxy } from './test-env/fault-proxy.ts'
export { startTestPostgres, type TestPostgres } from './test-env/shared-postgres.ts'
export { type NatsSnapshot, snapshotNats } from './test-env/snapshot-nats.ts'
export { type DnsRecord, type SandboxMessage, TestEnv, type TestEnvOptions } from './test-env/test-env.ts'
export { startTestPgbouncer, type TestPgbouncer } from './test-env/test-pgbouncer.ts'
export { programPath } from './test-programs/program-path.ts'
