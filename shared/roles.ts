import type { Permission } from './endpoint.ts'

export const roleNames = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof roleNames)[number]

/** What each role is, for whoever gives it. */
export const roleWords: Record<Role, string> = {
  owner: 'Everything, and may delete the account',
  admin: 'Everything but deleting the account and changing owners',
  member: 'Works with carts and flows; no billing, no team',
  viewer: 'Looks, and changes nothing',
}

const reads: Permission[] = ['session', 'carts:read', 'flows:read', 'stores:read']
const works: Permission[] = [...reads, 'carts:write', 'flows:write', 'stores:sync']
const leads: Permission[] = [
  ...works,
  'flows:switch',
  'stores:connect',
  'billing:write',
  'instance:confirm',
  'team:write',
  'account:export',
  'suppressions:write',
  'persons:write',
  'consent:write',
]

/** Decision 8: what each role may do. */
export const permissionsOf: Record<Role, readonly Permission[]> = {
  owner: [...leads, 'account:delete'],
  admin: leads,
  member: works,
  viewer: reads,
}

export const mayDo = (role: Role, permission: Permission): boolean => permissionsOf[role].includes(permission)

/** Owners are made, changed and removed by owners alone; everybody else by whoever leads the team. */
export const mayManage = (own: Role, other: Role): boolean =>
  mayDo(own, 'team:write') && (other !== 'owner' || own === 'owner')
