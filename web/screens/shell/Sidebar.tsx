import { Link, NavLink } from 'react-router'
import { hasPermission } from '../../../shared/access/roles.ts'
import { decideEarly } from '../../core/access/access.ts'
import { useAccessState, useMe } from '../../core/access/queries.ts'
import { buildAllStoresPath, hasAllStores, useScope } from '../../core/access/scope.ts'
import { Logo } from '../../core/ui/Logo.tsx'
import { SubscriptionButton } from '../../features/billing/SubscriptionButton.tsx'
import { AccountLinks } from './AccountLinks.tsx'
import { listAccountPages } from './account-pages.ts'
import { sections } from './sections.ts'

function AccountPages() {
  const user = useMe()
  if (!user) return null
  return listAccountPages(user).map(({ to, label, icon: Icon }) => (
    <Link key={to} to={to} className="side-link">
      <Icon size={17} stroke={1.8} aria-hidden />
      {label}
    </Link>
  ))
}

/** `withAccount`: on a phone it also contains the header's links. */
export function Sidebar({ withAccount = false }: { withAccount?: boolean }) {
  const { accessState } = useAccessState()
  const role = useMe()?.role
  const { isAll, currency } = useScope()
  const open = sections.filter(
    ({ path, permission }) => decideEarly(path, accessState)?.show && (!role || hasPermission(role, permission)),
  )
  return (
    <div className="side">
      {!withAccount && (
        <div className="side-logo">
          <Logo withTagline />
        </div>
      )}
      <nav aria-label="Sections" className="side-list">
        {open.map(({ path, title, icon: Icon }) => (
          <NavLink
            key={path}
            to={isAll && hasAllStores(path) ? buildAllStoresPath(path, currency) : path}
            className="side-link"
          >
            <Icon size={18} stroke={1.8} aria-hidden />
            {title}
          </NavLink>
        ))}
      </nav>
      {withAccount && (
        <div className="side-list side-foot">
          <SubscriptionButton variant="side-link" />
          <AccountPages />
          <AccountLinks className="side-link" />
        </div>
      )}
    </div>
  )
}
