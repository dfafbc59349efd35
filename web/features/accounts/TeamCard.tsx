import './accounts.css'
import { Button, Card, Group, Menu, NativeSelect, Text, TextInput, Title } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconAlertTriangle, IconCheck, IconClock, IconMail, IconSelector, IconSend } from '@tabler/icons-react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import type { User } from '../../../shared/access/auth.ts'
import { authTexts } from '../../../shared/access/auth.ts'
import { mayManage, type Role, roleNames, roleText } from '../../../shared/access/roles.ts'
import type { Invitation, Member } from '../../../shared/workspace/team.ts'
import {
  changeRole,
  inviteMember,
  removeMember,
  resendInvitation,
  revokeInvitation,
} from '../../../shared/workspace/team.ts'
import { ConfirmFirst } from '../../core/access/ConfirmFirst.tsx'
import { useDraft } from '../../core/access/drafts.ts'
import { ApiError, call, hasFieldError } from '../../core/api/api.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingList } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { StatusBadge } from '../../core/ui/StatusBadge.tsx'
import { DateTime } from '../../core/ui/Time.tsx'
import { addArticle, formatRole, isLastOwner, lowercaseFirst } from './rules.ts'
import { teamQuery, useTeam } from './team-queries.ts'

/** Members and invitations of the account, and the form to invite. */
export function TeamCard({ user }: { user: User }) {
  const team = useTeam()
  const mayLead = mayManage(user.role, 'member') && !user.isDemo
  return (
    <Card>
      <Title order={2}>Team</Title>
      <Text fz="sm" c="dimmed" mt={4} mb="sm">
        {describeInvitations(user, mayLead)}
      </Text>
      <Loaded query={team} loading={<LoadingList count={2} withPicture />} failed="The team could not be loaded">
        {({ members, invitations }) => (
          <>
            <ul className="members">
              {members.map((member) => (
                <MemberRow
                  key={member.userId}
                  member={member}
                  user={user}
                  isLastOwner={isLastOwner(member.role, members)}
                />
              ))}
              {invitations.map((invitation) => (
                <InvitationRow key={invitation.id} invitation={invitation} user={user} />
              ))}
            </ul>
            {mayLead && <ConfirmFirst what="invite members" />}
            {mayLead && <InviteForm user={user} />}
          </>
        )}
      </Loaded>
    </Card>
  )
}

function describeInvitations(user: User, mayLead: boolean): string {
  if (user.isDemo) return 'Everyone who tries the demo shares this user.'
  if (mayLead) return 'All members have access to all stores of the account.'
  return `You are ${addArticle(user.role)} of this account: ${lowercaseFirst(roleText[user.role])}.`
}

function MemberRow({ member, user, isLastOwner }: { member: Member; user: User; isLastOwner: boolean }) {
  const mayChange = mayManage(user.role, member.role) && !user.isDemo && !isLastOwner
  return (
    <li className="person">
      <span className="person-sign" aria-hidden>
        {member.name.trim().charAt(0).toUpperCase()}
      </span>
      <div className="person-words">
        <Group gap="xs">
          <strong>{member.name}</strong>
          {member.isYou && <span className="mark tone-quiet">You</span>}
        </Group>
        <Text fz="sm" c="dimmed">
          {member.email}
        </Text>
      </div>
      <div className="person-acts">
        {mayChange ? <RoleMenu member={member} own={user.role} /> : <Text fz="sm">{formatRole(member.role)}</Text>}
        {mayChange && !member.isYou && <RemoveButton member={member} />}
      </div>
    </li>
  )
}

function RemoveButton({ member }: { member: Member }) {
  const [isAsking, setAsking] = useState(false)
  const remove = useRemoveMember()
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)} aria-label={`Remove ${member.name}`}>
        Remove
      </Button>
      <Confirm
        opened={isAsking}
        title={`Remove ${member.name}?`}
        confirmLabel="Remove"
        isDangerous
        isBusy={remove.isPending}
        problem={remove.error?.message}
        onConfirm={() => remove.mutate(member.userId, { onSuccess: ({ message }) => announce(message) })}
        onClose={() => setAsking(false)}
      >
        {member.email} is signed out of this account immediately and can no longer see its stores. Their work stays.
      </Confirm>
    </>
  )
}

const badges: Record<Invitation['state'], Parameters<typeof StatusBadge>[0]> = {
  waiting: { tone: 'quiet', icon: IconSend, label: 'Sending' },
  sent: { tone: 'info', icon: IconMail, label: 'Invited' },
  failed: { tone: 'bad', icon: IconAlertTriangle, label: 'Email not sent' },
  expired: { tone: 'warn', icon: IconClock, label: 'Expired' },
}

/** An invited person who has not accepted yet. */
function InvitationRow({ invitation, user }: { invitation: Invitation; user: User }) {
  const resend = useResend()
  const revoke = useRevoke()
  const notices = {
    onSuccess: ({ message }: { message: string }) => announce(message),
    onError: (error: Error) => announce(error.message, 'bad'),
  }
  return (
    <li className="person">
      <span className="person-sign">
        <IconMail size={18} stroke={1.6} aria-hidden />
      </span>
      <div className="person-words">
        <Group gap="xs">
          <strong>{invitation.email}</strong>
          <StatusBadge {...badges[invitation.state]} />
        </Group>
        <Text fz="sm" c="dimmed">
          As {invitation.role}
          {invitation.invitedBy && `, invited by ${invitation.invitedBy}`},{' '}
          {invitation.state === 'expired' ? 'until' : 'open until'} <DateTime at={invitation.expiresAt} />
        </Text>
        {invitation.state === 'failed' && (
          <Text fz="sm" c="var(--rc-bad)">
            The mail server’s answer: {invitation.mailProblem}
          </Text>
        )}
      </div>
      {mayManage(user.role, invitation.role) && !user.isDemo && (
        <div className="person-acts">
          <Button
            size="xs"
            variant="default"
            loading={resend.isPending}
            onClick={() => resend.mutate(invitation.id, notices)}
            aria-label={`Resend the invitation to ${invitation.email}`}
          >
            Resend
          </Button>
          <Button
            size="xs"
            variant="default"
            loading={revoke.isPending}
            onClick={() => revoke.mutate(invitation.id, notices)}
            aria-label={`Revoke the invitation to ${invitation.email}`}
          >
            Revoke
          </Button>
        </div>
      )}
    </li>
  )
}

function InviteForm({ user }: { user: User }) {
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
      {invite.error && !hasFieldError(invite.error as ApiError) && (
        <div style={{ marginTop: 12 }}>
          <Notice tone="bad" isLive>
            {invite.error.message}
          </Notice>
        </div>
      )}
    </form>
  )
}

interface Props {
  member: Member
  own: Role
}

/**
 * Saves on selection. A menu, because arrow keys change a closed select and could make someone admin on the way to
 * viewer. Changing one's own role needs a confirmation: it may be irreversible.
 */
function RoleMenu({ member, own }: Props) {
  const change = useChangeRole()
  const [chosenRole, setChosenRole] = useState<Role | null>(null)
  const save = (role: Role) =>
    change.mutate(
      { userId: member.userId, role },
      {
        onSuccess: ({ message }) => {
          announce(message)
          setChosenRole(null)
        },
        onError: (error) => {
          if (!member.isYou) announce(error.message, 'bad')
        },
      },
    )
  const choose = (role: Role) => {
    if (role === member.role) return
    if (member.isYou) setChosenRole(role)
    else save(role)
  }
  return (
    <>
      <Menu position="bottom-end" width={300} shadow="md" withInitialFocusPlaceholder={false}>
        <Menu.Target>
          <Button
            size="xs"
            variant="default"
            loading={change.isPending}
            rightSection={<IconSelector size={14} aria-hidden />}
            aria-label={`Role of ${member.name}: ${member.role}`}
          >
            {formatRole(member.role)}
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {roleNames
            .filter((role) => mayManage(own, role))
            .map((role) => (
              <Menu.Item
                key={role}
                aria-current={role === member.role}
                rightSection={role === member.role && <IconCheck size={16} aria-label="current" />}
                onClick={() => choose(role)}
              >
                {formatRole(role)}
                <Text span display="block" fz="xs" c="dimmed">
                  {roleText[role]}
                </Text>
              </Menu.Item>
            ))}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={chosenRole !== null}
        title="Change your own role?"
        confirmLabel="Change my role"
        isDangerous
        isBusy={change.isPending}
        problem={change.error?.message}
        onConfirm={() => save(chosenRole!)}
        onClose={() => {
          change.reset()
          setChosenRole(null)
        }}
      >
        {chosenRole &&
          `You become ${addArticle(chosenRole)}: ${lowercaseFirst(roleText[chosenRole])}. Only someone else can change your role back.`}
      </Confirm>
    </>
  )
}

const useInvite = () => useTeamChange((body: { email: string; role: Role }) => call(inviteMember, { body }))

const useResend = () => useTeamChange((invitationId: string) => call(resendInvitation, { params: { invitationId } }))

const useRevoke = () => useTeamChange((invitationId: string) => call(revokeInvitation, { params: { invitationId } }))

const useChangeRole = () =>
  useTeamChange(({ userId, role }: { userId: string; role: Role }) =>
    call(changeRole, { params: { userId }, body: { role } }),
  )

const useRemoveMember = () => useTeamChange((userId: string) => call(removeMember, { params: { userId } }))

function useTeamChange<Input>(ask: (input: Input) => Promise<{ message: string }>) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ask,
    onSettled: () =>
      Promise.all([
        queries.invalidateQueries({ queryKey: teamQuery.queryKey }),
        // The member's own role may have changed.
        queries.invalidateQueries({ queryKey: ['me'] }),
      ]),
  })
}
