import { Anchor } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useInstance } from '../../core/access/queries.ts'

interface Props {
  page: 'terms' | 'privacy'
  children: ReactNode
  fz?: 'sm'
  isUnderlined?: boolean
}

/** To the operator's own page, if there is one, else to ours. */
export function LegalLink({ page, children, fz, isUnderlined = false }: Props) {
  const instance = useInstance()
  const own = page === 'terms' ? instance?.termsUrl : instance?.privacyUrl
  const look = { ...(fz ? { fz } : { inherit: true }), ...(isUnderlined && { underline: 'always' as const }) }
  return own ? (
    <Anchor href={own} {...look}>
      {children}
    </Anchor>
  ) : (
    <Anchor component={Link} to={`/${page}`} {...look}>
      {children}
    </Anchor>
  )
}
