import { Anchor, Button, Card, Container, Stack, Text, Title } from '@mantine/core'
import { Link, useSearchParams } from 'react-router'
import { productName } from '../../core/ui/brand.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { BarePage } from '../../kits/page/BarePage.tsx'

interface Props {
  title: string
  /** Heading after success. */
  doneTitle: string
  /** Label of the button. */
  explanation: string
  button: string
  /** Error for a link without a token. */
  invalidLink: string
  confirm: {
    data: { message: string } | undefined
    error: Error | null
    isPending: boolean
    mutate: (token: string) => void
  }
}

/**
 * Target of links that confirm an address. The button confirms, not the visit, because mail scanners follow links too.
 */
export function ConfirmAddress({ title, doneTitle, explanation, button, invalidLink, confirm }: Props) {
  const token = useSearchParams()[0].get('token') ?? ''
  const heading = confirm.data ? doneTitle : title
  return (
    <BarePage title={heading}>
      <Container size={440} p={0}>
        <Card padding="xl">
          <Stack gap="lg">
            <Title order={1}>{heading}</Title>
            {token === '' ? (
              <Notice tone="bad">{invalidLink}</Notice>
            ) : confirm.data ? (
              <ConfirmedMessage message={confirm.data.message} />
            ) : (
              <>
                <Text>{explanation}</Text>
                {confirm.error && (
                  <Notice tone="bad" isLive>
                    {confirm.error.message}
                  </Notice>
                )}
                <Button size="md" loading={confirm.isPending} onClick={() => confirm.mutate(token)}>
                  {button}
                </Button>
              </>
            )}
          </Stack>
        </Card>
      </Container>
    </BarePage>
  )
}

function ConfirmedMessage({ message }: { message: string }) {
  return (
    <>
      <Notice tone="good" isLive>
        {message}
      </Notice>
      <Anchor component={Link} to="/">
        Go to {productName}
      </Anchor>
    </>
  )
}
