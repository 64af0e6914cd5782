// Presentations, screen names and removal reasons are part of what authors write, so one import is enough for them.
@_exported public import MinervaNavigation
