import './accounts.css'
import { Button, Card, Group, Text, Title } from '@mantine/core'
import { useState } from 'react'
import type { User } from '../../shared/auth.ts'
import { mayManage, roleText } from '../../shared/roles.ts'
import type { Member } from '../../shared/team.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingList } from '../ui/Loading.tsx'
import { InvitationRow } from './InvitationRow.tsx'
import { InviteForm } from './InviteForm.tsx'
import { RoleMenu } from './RoleMenu.tsx'
import { addArticle, formatRole, isLastOwner, lowerFirst } from './rules.ts'
import { useRemoveMember, useTeam } from './team-queries.ts'

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
            <ul className="people">
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
  return `You are ${addArticle(user.role)} of this account: ${lowerFirst(roleText[user.role])}.`
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
