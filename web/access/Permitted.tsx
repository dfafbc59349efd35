import { Outlet } from 'react-router'
import type { Permission } from '../../shared/endpoint.ts'
import { mayDo, type Role, roleNames, roleRefusal } from '../../shared/roles.ts'
import { Failed } from '../ui/Failed.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { useMe } from './queries.ts'
import { useScreen } from './screen.ts'

/** Around every screen, inside its frame: shows it to whose role allows it, and to others the server's own refusal (decision 8). */
export function Permitted() {
  const permission = useScreen()?.permission
  if (!permission) return null
  return isForEveryone(permission) ? <Outlet /> : <ByRole permission={permission} />
}

function ByRole({ permission }: { permission: Permission }) {
  const role = useMe()?.role
  if (!role) return <LoadingCards count={1} />
  return mayDo(role, permission) ? <Outlet /> : <Refused role={role} />
}

function Refused({ role }: { role: Role }) {
  return (
    <>
      <PageTitle title="No access" />
      <Failed title="You cannot open this page" error={new Error(roleRefusal(role))} />
    </>
  )
}

/** Nobody waits for an answer about their role where it does not matter. */
const isForEveryone = (permission: Permission) =>
  permission === 'public' || roleNames.every((role) => mayDo(role, permission))
