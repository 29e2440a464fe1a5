import { schemaOf } from '@notify/contracts'
import type { KeyRing } from '@notify/privacy'
import { type Command, UsageError } from '@notify/service-kit'
import { runDeadLetterCommand } from './dead-letters/run-command.ts'
import { migrate } from './migrations/migrate.ts'
import type { Migrations } from './migrations/migration.ts'
import { type DatabaseConfig, openDatabase } from './open.ts'
import { leftUnchanged, rotateEncryptedColumns } from './rotate-keys.ts'
import type { EncryptedColumn } from './rotation-statements.ts'

/** `main.ts migrate`: runs pending migrations. A newer schema is left unchanged. */
export function migrateCommand(migrations: Migrations): Command<DatabaseConfig> {
  return (config, kit, args) => {
    if (args.length > 0) throw new UsageError(`migrate takes no arguments; got ${args.join(' ')}`)
    return migrate(kit, { config, schema: schemaOf(kit.service), migrations })
  }
}

/** `main.ts rotate-keys`: re-encrypts values of older keys with the current key. Fails if some cannot be re-encrypted. */
export function rotateKeysCommand(
  columns: readonly EncryptedColumn[],
): Command<DatabaseConfig & { ENCRYPTION_KEYS: KeyRing }> {
  return async (config, kit, args) => {
    if (args.length > 0) throw new UsageError(`rotate-keys takes no arguments; got ${args.join(' ')}`)
    const db = await openDatabase(kit, { config: { ...config, DATABASE_POOL_SIZE: 1 } })
    const left = leftUnchanged(await rotateEncryptedColumns(db, columns, config.ENCRYPTION_KEYS, kit.log))
    if (left) throw new Error(`some values are unchanged: ${left}`)
  }
}

/** `main.ts dead-letters list|show|replay|discard`: manages the dead letters of a service. */
export const deadLettersCommand: Command<DatabaseConfig> = runDeadLetterCommand
