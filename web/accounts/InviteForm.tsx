import { Button, NativeSelect, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { authTexts, type User } from '../../shared/auth.ts'
import { mayManage, type Role, roleNames, roleText } from '../../shared/roles.ts'
import { useDraft } from '../access/drafts.ts'
import { ApiError } from '../api.ts'
import { announce } from '../ui/announce.ts'
import { Notice } from '../ui/Notice.tsx'
import { isSaidAtField } from './fields.ts'
import { formatRole } from './rules.ts'
import { useInvite } from './team-queries.ts'

export function InviteForm({ user }: { user: User }) {
  const invite = useInvite()
  const form = useForm<{ email: string; role: Role }>({
    initialValues: { email: '', role: 'member' },
    validate: { email: (text: string) => (text.trim() === '' ? authTexts.emailRequired : null) },
  })
  useDraft(`invite:${user.accountName}`, form.isDirty() ? form.values : null, form.setValues)
  const submit = form.onSubmit((values: { email: string; role: Role }) =>
    invite.mutate(values, {
      onSuccess: ({ message }) => {
        announce(message)
        form.reset()
      },
      onError: (error) => error instanceof ApiError && form.setErrors(error.fields),
    }),
  )
  return (
    <form onSubmit={submit} noValidate className="invite">
      <div className="invite-row">
        <TextInput
          label="Invite by email"
          name="invite-email"
          type="email"
          inputMode="email"
          autoComplete="off"
          placeholder="mia@example.com"
          {...form.getInputProps('email')}
        />
        <NativeSelect
          label="Role"
          {...form.getInputProps('role')}
          data={roleNames
            .filter((role) => mayManage(user.role, role))
            .reverse()
            .map((role) => ({ value: role, label: formatRole(role) }))}
        />
        <Button type="submit" loading={invite.isPending}>
          Send invitation
        </Button>
      </div>
      <Text fz="xs" c="dimmed" mt={6} aria-live="polite">
        {formatRole(form.values.role)}: {roleText[form.values.role]}. The link in the email works once and expires after
        seven days.
      </Text>
      {invite.error && !isSaidAtField(invite.error as ApiError) && (
        <div style={{ marginTop: 12 }}>
          <Notice tone="bad" isLive>
            {invite.error.message}
          </Notice>
        </div>
      )}
    </form>
  )
}
