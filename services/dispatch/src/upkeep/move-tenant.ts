import { exportTenantCommand, importTenantCommand } from '@notify/database'
import { encryptedColumns as encrypted } from './encrypted-columns.ts'
import { tenantTables as tables } from './tenant-tables.ts'

export const exportTenant = exportTenantCommand({ tables, encrypted })
export const importTenant = importTenantCommand({ tables, encrypted })
