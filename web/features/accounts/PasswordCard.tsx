import { Button, Card, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { authTexts, type User } from '../../../shared/access/auth.ts'
import { changePassword } from '../../../shared/workspace/account.ts'
import { ApiError, call, hasFieldError } from '../../core/api/api.ts'
import { Notice } from '../../core/ui/Notice.tsx'
import { sessionsQuery } from './account-queries.ts'
import { showPassword } from './fields.ts'
import { NewPassword } from './NewPassword.tsx'
import { checkNewPassword } from './rules.ts'
import { SubmitButton, useWait } from './wait.tsx'

type Values = { current: string; password: string; repeated: string }

/** Collapsed until opened, because password changes are rare. */
export function PasswordCard({ user }: { user: User }) {
  const [isOpen, setOpen] = useState(false)
  const [done, setDone] = useState<string | null>(null)
  return (
    <Card>
      <Title order={2}>Password</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="md">
        Changing it signs you out everywhere else.
      </Text>
      {done && !isOpen && (
        <div style={{ marginBottom: 16 }}>
          <Notice tone="good" isLive>
            {done}
          </Notice>
        </div>
      )}
      {isOpen ? (
        <PasswordForm
          user={user}
          onDone={(message) => {
            setDone(message)
            setOpen(false)
          }}
          onCancel={() => setOpen(false)}
        />
      ) : (
        <Button variant="default" w="fit-content" onClick={() => setOpen(true)}>
          Change password
        </Button>
      )}
    </Card>
  )
}

interface FormProps {
  user: User
  onDone: (message: string) => void
  onCancel: () => void
}

function PasswordForm({ user, onDone, onCancel }: FormProps) {
  const wait = useWait()
  const change = useChangePassword()
  const first = useRef<HTMLInputElement>(null)
  useEffect(() => first.current?.focus(), [])
  const form = useForm<Values>({
    mode: 'uncontrolled',
    initialValues: { current: '', password: '', repeated: '' },
    validate: (values: Values) => ({
      ...checkNewPassword(values),
      ...(values.current === '' && { current: authTexts.passwordRequired }),
    }),
  })
  const submit = form.onSubmit(({ current, password }: Values) =>
    change.mutate(
      { current, password },
      {
        onSuccess: ({ message }) => onDone(message),
        onError: (error) => {
          wait.note(error)
          if (error instanceof ApiError) form.setErrors(error.fields)
        },
      },
    ),
  )
  const field = (name: keyof Values) => ({
    name,
    required: true,
    withAsterisk: false,
    key: form.key(name),
    ...form.getInputProps(name),
  })
  const failure = wait.isOver(change.error) || hasFieldError(change.error as ApiError | null) ? null : change.error
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md" maw={420}>
        {/* Tells password managers which account the password belongs to. */}
        <input type="hidden" name="username" autoComplete="username" value={user.email} readOnly />
        <PasswordInput
          ref={first}
          label="Current password"
          autoComplete="current-password"
          {...showPassword}
          {...field('current')}
        />
        <NewPassword label="New password" known={[user.name, user.email.split('@')[0]!]} {...field('password')} />
        <PasswordInput
          label="Repeat new password"
          autoComplete="new-password"
          {...showPassword}
          {...field('repeated')}
        />
        {failure && (
          <Notice tone="bad" isLive>
            {failure.message}
          </Notice>
        )}
        <div style={{ display: 'flex', gap: 8 }}>
          <SubmitButton label="Change password" isBusy={change.isPending} waitS={wait.waitS} size="sm" />
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </div>
      </Stack>
    </form>
  )
}

function useChangePassword() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (body: { current: string; password: string }) => call(changePassword, { body }),
    onSuccess: () => queries.invalidateQueries({ queryKey: sessionsQuery.queryKey }),
  })
}
