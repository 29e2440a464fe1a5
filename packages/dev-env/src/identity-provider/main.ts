import { serveIdentityProvider } from './serve.ts'

await serveIdentityProvider(process.env)
// The IPC channel to the supervisor would keep the process alive.
if (process.connected) process.disconnect()
