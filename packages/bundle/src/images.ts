import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { type ServiceName, serviceNames } from '@notify/contracts'
import { root } from './bundle-options.ts'

/** What an image holds. Paths are relative to the root of the workspace, which is `/app` in the image. */
export interface Image {
  /** Source of each program by the file of its bundle. */
  programs: Record<string, string>
  /** What the programs read or serve, by the place where they look for it. */
  files?: Record<string, string>
  /** A library goes by the names of its classes, which a bundle changes where two are alike. */
  keepNames?: true
}

/** The folder of a library that a workspace depends on. */
function libraryOf(workspace: string, name: string): string {
  const { resolve } = createRequire(join(root, workspace, 'package.json'))
  return relative(root, dirname(resolve(name)))
}

const templates = 'packages/templates'
const page = 'packages/carrier-sandbox/src/page'

/** What services have beside their program. */
const beside: Partial<Record<ServiceName, { programs?: Record<string, string>; files?: Record<string, string> }>> = {
  gateway: {
    files: {
      content: 'content',
      'packages/console/dist': 'packages/console/dist',
    },
  },
  dispatch: {
    programs: {
      [`${templates}/src/render-worker.mjs`]: `${templates}/src/render-worker.ts`,
      // Piscina looks for it beside itself, which is the bundle.
      'worker.js': join(libraryOf(templates, 'piscina'), 'worker.js'),
    },
  },
}

function serviceImage(service: ServiceName): Image {
  const { programs, files = {} } = beside[service] ?? {}
  return { programs: { 'main.mjs': `services/${service}/src/main.ts`, ...programs }, files }
}

/** The images by name. */
export const images: Readonly<Record<string, Image>> = {
  ...Object.fromEntries(serviceNames.map((service) => [service, serviceImage(service)])),
  // Makes the database, the roles, the schemas and the streams, with rights that no service has.
  provision: {
    programs: {
      'database.mjs': 'packages/database/src/provision-main.ts',
      'streams.mjs': 'packages/messaging/src/provision-main.ts',
      // Of docker-compose.yml.
      'secrets.mjs': 'packages/dev-env/src/compose/main.ts',
    },
  },
  'carrier-sandbox': {
    programs: { 'main.mjs': 'packages/carrier-sandbox/src/main.ts' },
    files: Object.fromEntries(
      ['index.html', 'page.css', 'page.js'].map((file) => [`${page}/${file}`, `${page}/${file}`]),
    ),
  },
  'identity-provider': {
    programs: { 'main.mjs': 'packages/dev-env/src/identity-provider/main.ts' },
    keepNames: true,
  },
}

export const imageNames: readonly string[] = Object.keys(images)
