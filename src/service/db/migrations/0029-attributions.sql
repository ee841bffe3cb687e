-- By which source the participant is known as the owner of their audio; null while none names them. See ATTRIBUTIONS in src/domain/meeting.ts.
alter table participants add column attribution text;
