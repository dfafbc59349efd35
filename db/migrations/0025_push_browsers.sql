-- A cart's notifications are for the browsers that have told of what is in it (decision 72), and the version of the worker a shop serves.

-- Of the browser: short hashes of the tokens its capture script posts with. Of those that subscribed before nobody knows them until they return.
alter table push_subscriptions add column marks text[] not null default '{}';

-- Of a notification: the browsers that had told of its cart when it left.
alter table messages add column told_by text[];

-- Of the worker that the shop serves there, as far as browsers have told: 0 does not say which it is; null: not told yet.
alter table push_sightings add column worker_version integer;
