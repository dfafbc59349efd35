import '../../features/consent/consent.css'
import { useState } from 'react'
import { Link, useLocation } from 'react-router'
import { consentSections, findSection } from '../../features/consent/sections.ts'
import { ConnectedTab } from './ConnectedTab.tsx'

/** Too long for one screen, so one section is shown at a time. */
export function ConsentTab() {
  return <ConnectedTab>{(store) => <Sections key={store.id} />}</ConnectedTab>
}

function Sections() {
  const { hash, search } = useLocation()
  const here = findSection(hash)
  // Opened sections stay mounted, keeping unsaved input.
  const [opened, setOpened] = useState([here.id])
  if (!opened.includes(here.id)) setOpened([...opened, here.id])
  return (
    <>
      <nav className="sections" aria-label="Consent">
        {consentSections.map(({ id, title }) => (
          <Link
            key={id}
            to={{ search, hash: id }}
            preventScrollReset
            {...(id === here.id && { 'aria-current': 'true' as const })}
          >
            {title}
          </Link>
        ))}
      </nav>
      {consentSections
        .filter(({ id }) => opened.includes(id))
        .map(({ id, Component }) => (
          <div key={id} className="section" hidden={id !== here.id}>
            <Component />
          </div>
        ))}
    </>
  )
}
