import { join } from 'node:path'
import { testPublishedPackage } from '@notify/test-kit/published-package'

testPublishedPackage(join(import.meta.dirname, '..'), { entrypoints: ['.'], dependencies: ['openapi-fetch'] })
