import { Anchor, Card, Container, Stack, Text, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { Link, useSearchParams } from 'react-router'
import { authTexts } from '../../../shared/access/auth.ts'
import { undoEmail } from '../../../shared/workspace/account.ts'
import { call } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { BarePage } from '../../kits/page/BarePage.tsx'
import { NewPasswordForm } from './NewPasswordForm.tsx'

/**
 * Target of the link in the notice to the old address. The button undoes the change, not the visit, because mail
 * scanners follow links too.
 */
export function UndoEmailPage() {
  const token = useSearchParams()[0].get('token') ?? ''
  const undo = useUndoEmail()
  const title = undo.isSuccess ? 'Email change undone' : 'Undo the email change'
  return (
    <BarePage title={title}>
      <Container size={440} p={0}>
        <Card padding="xl">
          <Stack gap="lg">
            <Title order={1}>{title}</Title>
            {token === '' ? (
              <Notice tone="bad">{authTexts.invalidUndoLink}</Notice>
            ) : undo.isSuccess ? (
              <>
                <Notice tone="good" isLive>
                  {undo.data.message}
                </Notice>
                <Anchor component={Link} to="/login">
                  Sign in
                </Anchor>
              </>
            ) : (
              <>
                <Text>
                  This restores your old address and signs out everyone. The person who changed it knew your password,
                  so choose a new one.
                </Text>
                <NewPasswordForm
                  label="Undo the change"
                  fallback={authTexts.undoFailed}
                  isBusy={undo.isPending}
                  error={undo.error}
                  onSubmit={(password, options) => undo.mutate({ token, password }, options)}
                />
              </>
            )}
          </Stack>
        </Card>
      </Container>
    </BarePage>
  )
}

const useUndoEmail = () =>
  useMutation({
    mutationFn: (body: { token: string; password: string }) => call(undoEmail, { body, isAnonymous: true }),
  })
