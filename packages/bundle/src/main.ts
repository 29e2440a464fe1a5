import { bundleService } from './bundle-service.ts'

/** `node packages/bundle/src/main.ts <service> <folder>` */
const [, , service, out] = process.argv
if (!service || !out) {
  process.stderr.write('usage: node packages/bundle/src/main.ts <service> <folder>\n')
  process.exitCode = 1
} else await bundleService(service, out)
