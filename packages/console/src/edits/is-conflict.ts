import { Problem } from '@notify/sdk'

/** Whether another revision was stored meanwhile. */
export const isConflict = (error: unknown): boolean => error instanceof Problem && error.code === 'edit_conflict'
