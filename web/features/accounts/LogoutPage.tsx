import { Button, Card, Container, Group, Stack, Title } from '@mantine/core'
import { useNavigate } from 'react-router'
import { useLogout } from '../../core/access/queries.ts'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { LOGOUT_QUESTION } from './LogoutDialog.tsx'

export function LogoutPage() {
  const logout = useLogout()
  const navigate = useNavigate()
  return (
    <BarePage title="Log out">
      <Container size={440} p={0}>
        <Card padding="xl">
          <Stack gap="lg">
            <Title order={1}>Log out</Title>
            <div>{LOGOUT_QUESTION}</div>
            <Group gap="sm">
              <Button loading={logout.isPending} onClick={() => logout.mutate()}>
                Log out
              </Button>
              <Button variant="default" onClick={() => navigate('/')}>
                Stay
              </Button>
            </Group>
          </Stack>
        </Card>
      </Container>
    </BarePage>
  )
}
