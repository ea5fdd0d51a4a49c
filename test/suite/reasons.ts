/** Why tests of Redis' own suite do not pass, by file. Complete sentences for the README, one each. */
export const reasons: Readonly<Record<string, string>> = {
  'unit/maxmemory': 'Two tests attach a replica and two read the replication stream: there is no replication yet.',
  'unit/client-eviction': 'The size of a query buffer includes the header of an unfinished argument.',
}
