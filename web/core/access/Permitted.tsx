import { Outlet } from 'react-router'
import { explainRefusal, hasPermission, type Role, roleNames } from '../../../shared/access/roles.ts'
import type { Permission } from '../../../shared/core/endpoint.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { useMe } from './queries.ts'
import { useScreen } from './screen.ts'

/**
 * Wraps every screen inside its frame. Shows it if the member's role allows it, otherwise the server's refusal
 * (decision 8).
 */
export function Permitted() {
  const permission = useScreen()?.permission
  if (!permission) return null
  return isForEveryone(permission) ? <Outlet /> : <ByRole permission={permission} />
}

function ByRole({ permission }: { permission: Permission }) {
  const role = useMe()?.role
  if (!role) return <LoadingCards count={1} />
  return hasPermission(role, permission) ? <Outlet /> : <RoleRefused role={role} />
}

function RoleRefused({ role }: { role: Role }) {
  return (
    <>
      <PageTitle title="No access" />
      <Failed title="You cannot open this page" error={new Error(explainRefusal(role))} />
    </>
  )
}

/** Screens open to every role render without waiting for the role. */
const isForEveryone = (permission: Permission) =>
  permission === 'public' || roleNames.every((role) => hasPermission(role, permission))
