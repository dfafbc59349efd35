import { Button, Card, Group, Title } from '@mantine/core'
import { useLocation, useNavigate } from 'react-router'
import { Facts } from '../../core/ui/Facts.tsx'
import { BarePage } from '../../kits/page/BarePage.tsx'

/** What the browser reports about its state, for support. */
export function TestPage() {
  const { pathname, search, hash } = useLocation()
  const navigate = useNavigate()
  return (
    <BarePage title="Test">
      <Card>
        <Title order={1} mb="md">
          Test page
        </Title>
        <Facts
          entries={[
            ['Current URL', location.href],
            ['Path', pathname],
            ['Search', search || '–'],
            ['Hash', hash || '–'],
          ]}
        />
        <Group mt="lg" gap="sm">
          <Button onClick={() => navigate('/dashboard')}>Go to Dashboard</Button>
          <Button variant="default" onClick={() => navigate('/carts')}>
            Go to Carts
          </Button>
          <Button variant="default" onClick={() => location.reload()}>
            Reload
          </Button>
        </Group>
      </Card>
    </BarePage>
  )
}
