import { readConfig } from './config.ts'
import { serveShop } from './serve-shop.ts'

await serveShop(readConfig(process.env))
