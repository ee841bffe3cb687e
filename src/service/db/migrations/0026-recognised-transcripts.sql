-- The words of a run that is recognised and stored, and waits for the event of the audio. Null: it is not recognised yet.
-- A node that does not know the column claims the run again when it is due, and recognises it once more.

alter table transcriptions add column recognised_words integer;
