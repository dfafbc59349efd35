import type { Permission } from '../core/endpoint.ts'

export const roleNames = ['owner', 'admin', 'member', 'viewer'] as const
export type Role = (typeof roleNames)[number]

/** Description of each role, for the member who assigns it. */
export const roleText: Record<Role, string> = {
  owner: 'Full access, including deleting the account',
  admin: 'Full access, except deleting the account and changing owners',
  member: 'Access to carts and flows, but not to billing or the team',
  viewer: 'View only, no changes',
}

const reads: Permission[] = ['session', 'carts:read', 'flows:read', 'stores:read']
const works: Permission[] = [...reads, 'carts:write', 'coupons:write', 'flows:write', 'stores:sync']
const leads: Permission[] = [
  ...works,
  'flows:switch',
  'stores:connect',
  'sending:pause',
  'billing:read',
  'billing:write',
  'team:write',
  'account:export',
  'suppressions:write',
  'privacy:write',
  'consent:write',
]

/** Decision 8: the permissions of each role. */
export const permissionsOf: Record<Role, readonly Permission[]> = {
  owner: [...leads, 'account:delete'],
  admin: leads,
  member: works,
  viewer: reads,
}

export const hasPermission = (role: Role, permission: Permission): boolean => permissionsOf[role].includes(permission)

/** The error for a role without the permission. */
export const explainRefusal = (role: Role) => `Your role (${role}) does not allow this. Ask an owner or admin.`

/** Only owners may add, change and remove owners; owners and admins may manage all others. */
export const mayManage = (own: Role, other: Role): boolean =>
  hasPermission(own, 'team:write') && (other !== 'owner' || own === 'owner')
