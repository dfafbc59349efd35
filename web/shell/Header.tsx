import { Burger } from '@mantine/core'
import { IconChevronLeft } from '@tabler/icons-react'
import { Link, useLocation } from 'react-router'
import { useStore } from '../access/queries.ts'
import { useScope } from '../access/scope.ts'
import { SubscriptionButton } from '../billing/SubscriptionButton.tsx'
import { Bell } from '../notifications/Bell.tsx'
import { LogoMark } from '../ui/Logo.tsx'
import { AccountLinks } from './AccountLinks.tsx'
import { PauseButton } from './PauseButton.tsx'
import { StoreMark } from './StoreMark.tsx'
import { SyncState } from './SyncState.tsx'
import type { sections } from './sections.ts'

interface Props {
  section: (typeof sections)[number]
  isMenuOpen: boolean
  onMenu: () => void
}

export function Header({ section, isMenuOpen, onMenu }: Props) {
  const store = useStore()
  const { isAll } = useScope()
  return (
    <>
      <div className="header-start">
        <Burger
          opened={isMenuOpen}
          onClick={onMenu}
          className="narrow-only"
          size="sm"
          aria-label="Open menu"
          aria-expanded={isMenuOpen}
          aria-haspopup="dialog"
        />
        {section.path === '/dashboard' && <LogoMark size={26} />}
        <SectionTitle {...section} />
      </div>
      <div className="header-end">
        {!isAll && <PauseButton />}
        {store && !isAll && <SyncState />}
        <Bell />
        <span className="header-account">
          <StoreMark />
          <SubscriptionButton />
          <AccountLinks look="header-link" />
        </span>
      </div>
    </>
  )
}

/** The section's heading with its tabs; on a page below it, the link back. */
function SectionTitle({ path, title }: Props['section']) {
  const { pathname } = useLocation()
  const isItself = path === '/settings' || pathname.replace(/(?<!\/)\/+$/, '').toLowerCase() === path
  if (isItself) return <h1 className="header-title">{title}</h1>
  return (
    <Link to={path} className="header-back">
      <IconChevronLeft size={17} aria-hidden />
      {title}
    </Link>
  )
}
