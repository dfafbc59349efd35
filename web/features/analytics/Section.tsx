import { IconChevronRight } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import { readSections, writeSections } from './rules.ts'

interface Props {
  /** Anchor in the address: `#roi`, or `#roi,reach`. */
  id: string
  title: string
  /** What is inside, in a few words. */
  text: string
  children: ReactNode
}

/** A section below the specified blocks. Closed, it loads nothing; the open ones are in the address. */
export function Section({ id, title, text, children }: Props) {
  const { hash, pathname, search } = useLocation()
  const navigate = useNavigate()
  const open = readSections(hash)
  const isOpen = open.includes(id)
  const place = useRef<HTMLDivElement>(null)
  // The browser scrolled before this was drawn.
  const isLinked = useRef(open[0] === id)
  useEffect(() => {
    if (isLinked.current) place.current?.scrollIntoView()
  }, [])
  const toggle = () => {
    const next = isOpen ? open.filter((each) => each !== id) : [...open, id]
    navigate({ pathname, search, hash: writeSections(next) }, { replace: true, preventScrollReset: true })
  }
  return (
    <div className="report-section" id={id} ref={place}>
      <h2 className="section-title">
        <button type="button" aria-expanded={isOpen} onClick={toggle}>
          <IconChevronRight size={18} aria-hidden />
          {title}
          <span>{text}</span>
        </button>
      </h2>
      {isOpen && <div className="section-inside">{children}</div>}
    </div>
  )
}
