import type { Permission } from './endpoint.ts'

export type Role = 'owner' | 'admin' | 'member' | 'viewer'

const reads: Permission[] = ['session', 'carts:read', 'flows:read', 'stores:read']
const works: Permission[] = [...reads, 'carts:write', 'flows:write', 'stores:sync']
const leads: Permission[] = [...works, 'flows:switch', 'stores:connect', 'billing:write', 'instance:confirm']

/** Decision 8: what each role may do. */
export const permissionsOf: Record<Role, readonly Permission[]> = {
  owner: leads,
  admin: leads,
  member: works,
  viewer: reads,
}

export const mayDo = (role: Role, permission: Permission): boolean => permissionsOf[role].includes(permission)
