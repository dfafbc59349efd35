import { Anchor, Box, Container, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { Logo } from '../ui/Logo.tsx'

interface Props {
  title: string
  size?: string | number
  /** On the right of the logo. */
  actions?: ReactNode
  children: ReactNode
}

/** A page outside the shell: logo, content, the small print. */
export function BarePage({ title, size = 'sm', actions, children }: Props) {
  return (
    <Box mih="100dvh" style={{ display: 'flex', flexDirection: 'column' }}>
      <title>{`${title} · Recoup`}</title>
      <Box component="header" px="md" py="sm">
        <Group justify="space-between" gap="sm">
          <Link to="/" aria-label="Recoup, home" style={{ color: 'inherit', textDecoration: 'none' }}>
            <Logo withTagline />
          </Link>
          <Group gap="md">{actions}</Group>
        </Group>
      </Box>
      <Container component="main" size={size} w="100%" py="xl" style={{ flex: 1 }}>
        {children}
      </Container>
      <Group component="footer" justify="center" gap="lg" py="md">
        <Anchor component={Link} to="/terms" fz="sm">
          Terms
        </Anchor>
        <Anchor component={Link} to="/privacy" fz="sm">
          Privacy
        </Anchor>
      </Group>
    </Box>
  )
}
