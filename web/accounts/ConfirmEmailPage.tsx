import { Anchor, Button, Card, Container, Stack, Text, Title } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import { authTexts } from '../../shared/auth.ts'
import { BarePage } from '../shell/BarePage.tsx'
import { Notice } from '../ui/Notice.tsx'
import { useConfirmEmail } from './account-queries.ts'

/** Where the link to a new address leads. The button does it, not the visit: mail scanners follow links too. */
export function ConfirmEmailPage() {
  const token = useSearchParams()[0].get('token') ?? ''
  const confirm = useConfirmEmail()
  return (
    <BarePage title="Confirm your email">
      <Container size={440} p={0}>
        <Card padding="xl">
          <Stack gap="lg">
            <Title order={1}>Confirm your email</Title>
            {token === '' ? (
              <Notice tone="bad">{authTexts.invalidEmailLink}</Notice>
            ) : confirm.isSuccess ? (
              <>
                <Notice tone="good" isLive>
                  {confirm.data.message}
                </Notice>
                <Anchor component={Link} to="/">
                  Go to Recoup
                </Anchor>
              </>
            ) : (
              <>
                <Text>From now on you sign in with this address, and our mail comes to it.</Text>
                {confirm.error && (
                  <Notice tone="bad" isLive>
                    {confirm.error.message}
                  </Notice>
                )}
                <Button size="md" loading={confirm.isPending} onClick={() => confirm.mutate(token)}>
                  Use this address
                </Button>
              </>
            )}
          </Stack>
        </Card>
      </Container>
    </BarePage>
  )
}
