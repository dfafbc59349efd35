import { NavLink } from 'react-router'
import { hasPermission } from '../../../shared/access/roles.ts'
import { decideEarly } from '../../core/access/access.ts'
import { useAccessState, useMe } from '../../core/access/queries.ts'
import { buildAllStoresPath, hasAllStores, useScope } from '../../core/access/scope.ts'
import { Logo } from '../../core/ui/Logo.tsx'
import { SubscriptionButton } from '../../features/billing/SubscriptionButton.tsx'
import { AccountLinks } from './AccountLinks.tsx'
import { StoreMark } from './StoreMark.tsx'
import { sections } from './sections.ts'

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
      {withAccount && <StoreMark />}
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
          <AccountLinks className="side-link" />
        </div>
      )}
    </div>
  )
}
