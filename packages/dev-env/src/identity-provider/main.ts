import { serveIdentityProvider } from './serve.ts'

serveIdentityProvider(process.env)
