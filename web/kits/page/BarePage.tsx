import { Anchor, Box, Container, Group, Text } from '@mantine/core'
import { lazy, type ReactNode, Suspense } from 'react'
import { Link } from 'react-router'
import { useInstance } from '../../core/access/queries.ts'
import { isViewing, useSession } from '../../core/session/session.ts'
import { productName } from '../../core/ui/brand.ts'
import { Logo } from '../../core/ui/Logo.tsx'
import { LegalLink } from './LegalLinks.tsx'

const ViewBanner = lazy(async () => ({ default: (await import('./ViewBanner.tsx')).ViewBanner }))

interface Props {
  title: string
  size?: string | number
  /** Right of the logo; by default the sign-in links, or the link back to the app. */
  actions?: ReactNode
  children: ReactNode
}

/** Frame of pages outside the shell: logo, content, footer. */
export function BarePage({ title, size = 'sm', actions = <HomeLinks />, children }: Props) {
  return (
    <Box mih="100dvh" style={{ display: 'flex', flexDirection: 'column' }}>
      <title>{`${title} · ${productName}`}</title>
      <header className="bare-header">
        <Link to="/" aria-label={`${productName} Abandoned Cart Recovery, home`} className="bare-home">
          <Logo withTagline />
        </Link>
        <Group gap={4}>{actions}</Group>
      </header>
      {isViewing() && (
        <Suspense>
          <ViewBanner />
        </Suspense>
      )}
      <Container component="main" tabIndex={-1} size={size} w="100%" py="xl" style={{ flex: 1 }}>
        {children}
      </Container>
      <SmallPrint />
    </Box>
  )
}

function SmallPrint() {
  const instance = useInstance()
  const company = instance?.companyName
  return (
    <Group component="footer" justify="center" gap="4px 20px" px="md" py="md">
      {company && (
        <Text fz="sm" c="dimmed">
          {company}
        </Text>
      )}
      <LegalLink page="terms" fz="sm">
        Terms
      </LegalLink>
      <LegalLink page="privacy" fz="sm">
        Privacy
      </LegalLink>
      {instance?.imprintUrl && (
        <Anchor href={instance.imprintUrl} fz="sm">
          Imprint
        </Anchor>
      )}
    </Group>
  )
}

function HomeLinks() {
  const isSignedIn = useSession().token !== null
  const isOpen = (useInstance()?.registration ?? 'open') === 'open'
  if (isSignedIn) {
    return (
      <Link to="/" className="header-link">
        Back to {productName}
      </Link>
    )
  }
  return (
    <>
      <Link to="/login" className="header-link">
        Login
      </Link>
      {isOpen && (
        <Link to="/register" className="header-link">
          Register
        </Link>
      )}
    </>
  )
}
