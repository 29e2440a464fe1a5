import { exportTenantCommand, importTenantCommand } from '@notify/database'
import { encryptedColumns as encrypted } from '../db/encrypted-columns.ts'
import { tenantTables as tables } from '../db/tenant-tables.ts'
import { mergeLedgers } from './merge-ledgers.ts'

export const exportTenant = exportTenantCommand({ tables, encrypted })
export const importTenant = importTenantCommand({ tables, encrypted, arrive: mergeLedgers })
