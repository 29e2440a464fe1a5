export * from './ids.ts'
export * from './permissions.ts'
